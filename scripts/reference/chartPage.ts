// The reference page of the chart's values.
import { values } from '../chart/values.ts';
import { flatValues } from '../chart/valuesText.ts';
import { page, table } from './page.ts';

export function chartPage(): string {
  const rows = flatValues(values).map(([name, defaultValue, description]) => [
    `\`${name}\``,
    `\`${defaultValue}\``,
    description,
  ]);
  const intro =
    'Set them with `helm -f FILE` or `--set name=value`; the chart has a schema that rejects unknown values. [Installing](../guide/installing.md) shows how. The values below `settings` are the [settings](settings.md) of the program.';
  return page('Chart values', intro, table(['value', 'default', 'meaning'], rows));
}
