// How do settings stand in the ConfigMap, and what does one that is there say? Only what differs from the defaults, so that a newer Lull has its own.
import { defaultSettings, type Settings } from '../../cluster/settings.ts';
import { isMap } from '../../kinds/reader.ts';
import { formatSettings, readSettings, settingKeys } from '../../kinds/settings.ts';
import { parseText } from '../../kinds/text.ts';
import { writeYaml } from '../../kinds/writeYaml.ts';

/** The role is always said: it is what people look for. */
export function writeSettings(settings: Settings): string {
  const [values, usual] = [formatSettings(settings), formatSettings(defaultSettings)];
  const isSaid = (key: keyof Settings): boolean =>
    key === 'role' || JSON.stringify(values[key]) !== JSON.stringify(usual[key]);
  return writeYaml(Object.fromEntries(settingKeys.filter(isSaid).map((key) => [key, values[key]])));
}

/** Undefined = it cannot be read, or has faults. */
export function readSettingsText(text: string, pairs: readonly string[]): Settings | undefined {
  const { values, errors } = parseText(text);
  const given = values[0]?.value ?? {};
  if (errors.length > 0 || !isMap(given)) return undefined;
  const { settings, faults } = readSettings(given, pairs);
  return faults.some(({ severity }) => severity === 'error') ? undefined : settings;
}
