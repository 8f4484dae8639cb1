// Which values has the chart?
import { values } from '../chart/values.ts';
import { flatValues } from '../chart/valuesText.ts';
import { page, table } from './page.ts';

export function chartPage(): string {
  const rows = flatValues(values).map(([name, usual, says]) => [`\`${name}\``, `\`${usual}\``, says]);
  const intro =
    'Given to Helm with `-f FILE` or `--set name=value`; a schema in the chart refuses what is misspelt. [Installing](../guide/installing.md) shows how. Those below `settings` are the [settings](settings.md) of the program.';
  return page('Values of the chart', intro, table(['value', 'default', 'meaning'], rows));
}
