// Which settings are there, what do they mean, and what holds where none is given?
import { defaultSettings, settingMeanings } from '../../src/cluster/settings.ts';
import { formatSettings } from '../../src/kinds/settings.ts';
import { page, table } from './page.ts';

export function settingsPage(): string {
  const defaults = formatSettings(defaultSettings) as Record<string, unknown>;
  const rows = Object.entries(settingMeanings).map(([key, meaning]) => [
    `\`${key}\``,
    defaultText(defaults[key]),
    meaning,
  ]);
  const intro =
    'One record, from `--settings FILE` and `--set key=value`; `lull settings` prints what is in force. Codes in brackets are clauses of the [contract](../contract.md).';
  return page('Settings', intro, table(['key', 'default', 'meaning'], rows));
}

const defaultText = (value: unknown): string =>
  value === undefined || (Array.isArray(value) && value.length === 0) ? 'none' : `\`${String(value)}\``;
