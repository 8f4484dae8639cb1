// Could this text be a schedule (B1–B3)? A regular expression with the values of each field, for checks where no code of ours runs.
// What it cannot know: whether the day ever comes (30 February), and whether there is such a zone.

const gap = '[ \t]+';
const anyCase = (name: string): string => [...name].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('');
const oneOf = (names: readonly string[]): string => names.map(anyCase).join('|');

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The numbers and names of minute, hour, day of month, month and day of week. */
const values = [
  '0*[0-5]?[0-9]',
  '0*(1?[0-9]|2[0-3])',
  '0*([1-9]|[12][0-9]|3[01])',
  `(0*([1-9]|1[0-2])|${oneOf(months)})`,
  `(0*[0-7]|${oneOf(weekdays)})`,
];

function field(value: string): string {
  const item = `([*?]|${value}(-${value})?)(/0*[1-9][0-9]*)?`;
  return `${item}(,${item})*`;
}

const shorthand = '@(yearly|annually|monthly|weekly|daily|midnight|hourly)';
const zonePrefix = `((CRON_)?TZ=[A-Za-z][A-Za-z0-9_+/-]*${gap})?`;

/** Without a backslash, so that it can stand in a text of CEL. */
export const cronPattern = `^[ \t]*${zonePrefix}(${shorthand}|${values.map(field).join(gap)})[ \t]*$`;
