// Limits of the HTTP server: connections, streams, bytes held for slow readers, and how long each step may take.

const mebibyte = 1024 * 1024;

export interface ServerLimits {
  /** Open connections of all peers together; one more is closed at once. */
  readonly connections: number;
  /** Open connections of one address, so that one peer cannot take all of them. */
  readonly connectionsOfPeer: number;
  /** Requests of one connection that wait for their answers (HTTP pipelining). */
  readonly pipelined: number;
  /** Answers without an end (/api/events, /api/recording) and those that wait for their turn. */
  readonly streams: number;
  readonly streamsOfPeer: number;
  /** Each recording may keep a copy of the cluster alive until its reader has taken it. */
  readonly recordings: number;
  /** Snapshots made at the same time: each lists the cluster and decides a round. The rest wait. */
  readonly snapshots: number;
  /** Histories sent at the same time. The rest wait. */
  readonly histories: number;
  /** Bytes that wait for the reader of one stream, beyond what the stream begins with. */
  readonly bytesOfStream: number;
  /** Bytes that wait for all readers together. */
  readonly bytes: number;
  /** Milliseconds in which a reader with bytes waiting must take some of them. */
  readonly stall: number;
  /** Milliseconds after which an answer that has an end is cut off. */
  readonly longestAnswer: number;
  /** Milliseconds for the headers of a request, and for a TLS handshake. */
  readonly headers: number;
  /** Milliseconds for a whole request. */
  readonly request: number;
  /** Milliseconds for which a connection without a request is kept. */
  readonly keepAlive: number;
  /** Bytes of all headers of a request together. */
  readonly headerBytes: number;
  readonly headerCount: number;
  /** Milliseconds between two looks at the files of the certificate. */
  readonly reload: number;
}

export const usualLimits: ServerLimits = {
  connections: 512,
  connectionsOfPeer: 256,
  pipelined: 16,
  streams: 100,
  streamsOfPeer: 50,
  recordings: 4,
  snapshots: 2,
  histories: 4,
  bytesOfStream: 8 * mebibyte,
  bytes: 64 * mebibyte,
  stall: 30_000,
  longestAnswer: 300_000,
  headers: 10_000,
  request: 30_000,
  keepAlive: 10_000,
  headerBytes: 16 * 1024,
  headerCount: 100,
  reload: 5000,
};
