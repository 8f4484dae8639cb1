// A short name for what something says: the same text, the same name, on every machine.

/** FNV-1a in 64 bits as two halves, written in base 36. Not for secrets; collisions among a thousand names do not matter. */
export function fingerprint(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193) >>> 0;
    high = Math.imul(high ^ ((code << 5) | (low & 31)), 0x01000193) >>> 0;
  }
  return (high.toString(36) + low.toString(36)).slice(0, 10).padEnd(10, '0');
}
