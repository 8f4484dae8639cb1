// How is a schedule, a duration, a label or a number of nodes written in a field? Each kind of text once, with the checks that admission can make.
// A pattern serves editors; the rule beside it says the same and more, in words.
import { cronPattern } from './cronPattern.ts';
import { choice, list, mapOf, type Rule, type Schema, text, withRules } from './schema.ts';

/** Longer schedules nobody can read; bounds such as this keep the cost of the rules known. */
const maxCron = 256;
const maxZone = 64;
const maxDuration = 64;
const maxInstant = 64;
/** Up to 18 digits CEL can always read as a number. */
const maxNodeCount = 18;
/** As in Kubernetes: a prefix of at most 253 characters, a slash, a name of at most 63. */
const maxLabelName = 317;
const maxLabelValue = 63;
const maxLabels = 100;

const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const name = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const labelNamePattern = `^(${subdomain}/)?${name}$`;
const prefixPattern = '^([^/]{1,253}/)?[^/]+$';
const nodeCountPattern = '^((100|[0-9]{1,2})%|[0-9]+)$';

/** None of the patterns holds a quote or a backslash, which would need more care in a text of CEL. */
const matches = (value: string, pattern: string): string => `${value}.matches('${pattern.replaceAll('\t', '\\t')}')`;

export const cron = (description: string): Schema =>
  withRules(text(description, { maxLength: maxCron }), {
    rule: matches('self', cronPattern),
    message:
      'must have five fields: minute 0-59, hour 0-23, day of month 1-31, month 1-12 or jan-dec, day of week 0-7 or sun-sat, such as "0 9 * * mon-fri"; or be one such as @daily',
  });

export const timeZone: Schema = text(
  'The IANA time zone in which the schedule is read, such as Europe/Berlin; UTC where it is absent.',
  { pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$', maxLength: maxZone },
);

/** Of Go's units those that anyone waits for. */
const goDuration = '^([0-9]+([.][0-9]+)?(h|m|s|ms))+$';
/** As Karpenter's own CRD has them. */
export const karpenterDuration = '^([0-9]+(s|m|h))+$';
const karpenterDurationOrNever = '^(([0-9]+(s|m|h))+|Never)$';
const karpenterMinutes = '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$';

/** 100 years: far below the 292 at which Go's nanoseconds no longer fit 64 bits. */
const longest = '876000h';

const duration = (description: string, pattern: string, rule: Rule): Schema =>
  withRules(text(description, { pattern, maxLength: maxDuration }), rule);

export const elapsed = (description: string, pattern = goDuration): Schema =>
  duration(description, pattern, {
    rule: `${matches('self', pattern)} && duration(self) <= duration('${longest}')`,
    message: `must be a duration such as 8h or 1h30m, at most ${longest}`,
  });

export const elapsedOrNever = (description: string): Schema =>
  duration(description, karpenterDurationOrNever, {
    rule: `self == 'Never' || (${matches('self', karpenterDuration)} && duration(self) <= duration('${longest}'))`,
    message: `must be a duration such as 30m or 720h, at most ${longest}, or Never`,
  });

/** B5: how long an opening lasts. */
const opening = (description: string, pattern: string): Schema =>
  duration(description, pattern, {
    rule: `${matches('self', pattern)} && duration(self) >= duration('1m') && duration(self) <= duration('${longest}')`,
    message: `must be a duration such as 8h or 1h30m, at least 1m and at most ${longest}`,
  });

export const openFor = (description: string): Schema => opening(description, goDuration);
export const karpenterOpenFor = (description: string): Schema => opening(description, karpenterMinutes);

export const nodeCount = (description: string, usual: string): Schema =>
  withRules(text(description, { default: usual, pattern: nodeCountPattern, maxLength: maxNodeCount }), {
    rule: `${matches('self', nodeCountPattern)} && (self.endsWith('%') || int(self) <= 2147483647)`,
    message: 'must be a whole number up to 2147483647, such as "3", or a percentage from "0%" to "100%"',
  });

/** RFC 3339, to the second at least. */
export const instant = (description: string): Schema =>
  withRules(
    text(description, {
      format: 'date-time',
      pattern:
        '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$',
      maxLength: maxInstant,
    }),
    // Kubernetes takes a list where a format is asked for; a rule does not.
    {
      rule: "self > timestamp('0001-01-01T00:00:00Z')",
      message: 'must be an instant of RFC 3339 such as 2026-11-15T09:00:00Z',
    },
  );

export const labelName = (description: string): Schema =>
  withRules(text(description, { pattern: labelNamePattern, maxLength: maxLabelName }), {
    rule: `${matches('self', labelNamePattern)} && ${matches('self', prefixPattern)}`,
    message: 'must be a label name such as topology.kubernetes.io/zone',
  });

export const labelValue = (description: string): Schema =>
  text(description, { pattern: `^(${name})?$`, maxLength: maxLabelValue });

/** Labels by name. */
export const labels = (description: string): Schema =>
  withRules(mapOf(description, labelValue('The value of the label.'), { maxProperties: maxLabels }), {
    rule: `self.all(key, ${matches('key', labelNamePattern)} && ${matches('key', prefixPattern)})`,
    message: 'must have label names such as topology.kubernetes.io/zone as keys',
  });

/** Some of the words, each at most once. */
export const choices = (description: string, each: string, words: readonly string[]): Schema =>
  list(description, choice(each, words), { maxItems: words.length, 'x-kubernetes-list-type': 'set' });
