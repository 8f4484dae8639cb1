// `lull settings`: which settings are in force?
import type { Command } from 'commander';
import { defaultSettings, type Settings } from '../cluster/settings.ts';
import { formatSettings, settingKeys } from '../kinds/settings.ts';
import { alignColumns } from './columns.ts';
import { listFlag } from './flags.ts';
import type { Io } from './io.ts';
import { type Form, outputOption, printAnswer } from './output.ts';
import { count } from './scene.ts';
import { type SettingsFlags, settingsFrom } from './settingsInput.ts';
import { bold, dim, type Line, plain } from './span.ts';

const examples = `
Examples:
  # the defaults
  $ lull settings

  # a file, and one setting over it
  $ lull settings --settings lull.yaml --set role=guide -o yaml
`;

export function addSettings(program: Command, io: Io): void {
  program
    .command('settings')
    .summary('print the settings in force')
    .description('Prints the settings in force: the defaults, over them the file, over it --set.')
    .option('--settings <file>', 'settings in YAML or JSON')
    .option('--set <key=value>', 'one setting, before the file; repeatable', listFlag)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((flags: SettingsFlags & { readonly output: Form }) => {
      const settings = settingsFrom(flags);
      printAnswer(io, flags.output, {
        value: () => formatSettings(settings),
        lines: () => renderSettings(settings, io.width),
      });
    });
}

function renderSettings(settings: Settings, width: number): Line[] {
  const [values, defaults] = [formatSettings(settings), formatSettings(defaultSettings)];
  const rows = settingKeys.map((key): Line[] => {
    const [value, usual] = [say(values[key]), say(defaults[key])];
    return value === usual ? [[plain(key)], [plain(value)]] : [[bold(key)], [bold(value), dim(`  (default ${usual})`)]];
  });
  return alignColumns(rows, { indent: 0, width });
}

function say(value: unknown): string {
  if (value === '') return 'none';
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? 'none' : count(value.length, 'instance type');
}
