// How does an event go over the wire? As text, or packed: once for all viewers, whenever they came.
import { constants, deflateRawSync } from 'node:zlib';

export class Frame {
  /** One line of JSON. */
  readonly data: string;
  readonly bytes: Buffer;
  #packed: Buffer | undefined;

  /** Without an id it is nothing that anybody could go on from. */
  constructor(event: string, data: string, id?: string) {
    this.data = data;
    this.bytes = Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
  }

  get packed(): Buffer {
    this.#packed ??= pack(this.bytes);
    return this.#packed;
  }
}

/**
 * A piece of a deflate stream that refers to nothing before it and does not end the stream: pieces that were packed alone can be
 * strung together in any order behind `packedHead`, so that a viewer who comes later is sent the same bytes as all others.
 */
const pack = (bytes: Buffer): Buffer => deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });

/** What a gzip stream begins with: its mark, deflate, and nothing said of name, time or system. */
export const packedHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

export const acceptsGzip = (accepted: string | string[] | undefined): boolean =>
  /\bgzip\b/.test(String(accepted ?? ''));
