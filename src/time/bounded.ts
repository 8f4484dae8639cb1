// How much is remembered of what was worked out once? So many entries; then the oldest makes room.

export function keep<Value>(map: Map<string, Value>, limit: number, key: string, value: Value): Value {
  if (map.size >= limit) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(key, value);
  return value;
}
