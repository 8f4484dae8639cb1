// Which values may a setting have, as a JSON schema? One for each setting: one without does not compile. The program checks them again, and says more.
import type { Settings } from '../../src/cluster/settings.ts';

export type Schema = Readonly<Record<string, unknown>>;

const words = (...them: readonly string[]): Schema => ({ type: 'string', enum: them });

/** A Go duration. `0` alone is one too. */
const goDuration = '^(0|([0-9]+(\\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$';
const duration: Schema = { type: 'string', pattern: goDuration };

const count: Schema = { type: ['string', 'integer'], pattern: '^([0-9]+|([0-9]|[1-9][0-9]|100)%)$', minimum: 0 };

const selector: Schema = {
  type: ['string', 'object'],
  additionalProperties: false,
  properties: {
    matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
    matchExpressions: { type: 'array', items: { type: 'object' } },
  },
};

const offering: Schema = {
  type: 'object',
  required: ['zone', 'capacityType', 'price'],
  properties: {
    zone: { type: 'string' },
    capacityType: { type: 'string' },
    price: { type: 'number', minimum: 0 },
    available: { type: 'boolean' },
  },
};

/** In a cluster there is no file that it could name. */
const catalogue: Schema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'offerings'],
    properties: { name: { type: 'string' }, offerings: { type: 'array', items: offering } },
  },
};

export const settingSchemas: { readonly [Key in keyof Required<Settings>]: Schema } = {
  role: words('observe', 'guide', 'drive'),
  pools: selector,
  defaultBudgets: words('fallback', 'ceiling'),
  expiration: words('graceful', 'forceful'),
  expireLead: { type: 'string', pattern: `^auto$|${goDuration}` },
  drift: words('claims', 'computed'),
  repairAfter: duration,
  repairBreaker: count,
  windowMargin: duration,
  consolidationPause: duration,
  replacementTimeout: duration,
  replacementSlow: duration,
  drainTimeout: duration,
  offerTimeout: duration,
  offerTimeoutUnderutilized: duration,
  minimumSavings: { type: ['string', 'number'], pattern: '^[0-9]+(\\.[0-9]+)?%?$', minimum: 0 },
  podMoveCost: { type: 'number', minimum: 0 },
  spotToSpot: { type: 'boolean' },
  catalogue,
  withhold: { type: 'string' },
  karpenterMetrics: { type: ['string', 'boolean'], pattern: '^(auto|off|https?://.+)$' },
};
