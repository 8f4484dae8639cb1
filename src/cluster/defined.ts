// The helper for optional fields: drops the fields of an object that are undefined.

type Optional<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>;
};

/** `defined({ name, namespace })` is `{ name }` when namespace is undefined. */
export function defined<Fields extends object>(fields: Fields): Optional<Fields>;
/** `defined<Pod>({ … })` requires every field of Pod to be listed, so that none is forgotten. */
export function defined<Whole extends object>(
  fields: {
    readonly [Field in keyof Whole]-?: Whole[Field] | undefined;
  },
): Whole;
export function defined(fields: Readonly<Record<string, unknown>>): object {
  const record: Record<string, unknown> = {};
  for (const key in fields) if (fields[key] !== undefined) record[key] = fields[key];
  return record;
}
