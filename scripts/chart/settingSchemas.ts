// JSON schemas of the settings, one for each type. The program validates settings again, with better messages.
import { type SettingForms, type Settings, settingTable } from '../../src/cluster/settings.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** A Go duration; `0` is one too. */
export const goDuration = '^(0|([0-9]+(\\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$';

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

/** Only a list: in a cluster there is no file to refer to. */
const catalogue: Schema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name', 'offerings'],
    properties: { name: { type: 'string' }, offerings: { type: 'array', items: offering } },
  },
};

const forms: { readonly [Form in keyof SettingForms]: Schema } = {
  duration: { type: 'string', pattern: goDuration },
  durationOrAuto: { type: 'string', pattern: `^auto$|${goDuration}` },
  nodeCount: count,
  selector,
  percent: { type: ['string', 'number'], pattern: '^[0-9]+(\\.[0-9]+)?%?$', minimum: 0 },
  price: { type: 'number', minimum: 0 },
  boolean: { type: 'boolean' },
  catalogue,
  metricsSource: { type: ['string', 'boolean'], pattern: '^(auto|off|https?://.+)$' },
  text: { type: 'string' },
};

export function settingSchema(key: keyof Settings): Schema {
  const setting = settingTable[key];
  return setting.form === 'choice' ? { type: 'string', enum: setting.values } : forms[setting.form];
}
