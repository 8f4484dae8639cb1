// The reference page of settings, with their defaults.
import { defaultSettings, settingTable } from '../../src/cluster/settings.ts';
import { formatSettings } from '../../src/kinds/readSettings.ts';
import { page, table } from './page.ts';

export function settingsPage(): string {
  const defaults = formatSettings(defaultSettings);
  const rows = Object.entries(settingTable).map(([key, { description }]) => [
    `\`${key}\``,
    defaultText(defaults[key]),
    description,
  ]);
  const intro =
    'Set them with `--settings FILE` and `--set key=value`; `lull settings` prints the effective settings. Codes in parentheses are clauses of the [contract](../contract.md).';
  return page('Settings', intro, table(['key', 'default', 'meaning'], rows));
}

const defaultText = (value: unknown): string =>
  value === undefined || (Array.isArray(value) && value.length === 0) ? 'none' : `\`${String(value)}\``;
