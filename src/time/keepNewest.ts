// Adds to a cache of limited size: a new entry evicts the oldest.

export function keepNewest<Value>(map: Map<string, Value>, limit: number, key: string, value: Value): Value {
  if (map.size >= limit) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(key, value);
  return value;
}
