// Something goes wrong on purpose: in the cloud, in an image, on the way to the API server, or with Lull itself.
import { formatDuration } from '../../../time/duration.ts';
import type { Duration } from '../../../time/instant.ts';
import type { Happening } from '../happening.ts';
import { refuseUnknown, theOnly } from '../known.ts';
import { cloudFaults } from './cloudFaults.ts';
import { controllerFaults } from './controllerFaults.ts';
import type { Fault, FaultRow } from './faultRow.ts';
import type { HappeningRow } from './row.ts';

export const faults: readonly FaultRow[] = [...cloudFaults, ...controllerFaults];

export const fault: HappeningRow = {
  name: 'fault',
  means: 'Something goes wrong, for so long or for ever; see the list of faults.',
  example: '{ at: 4h, fault: { launches: never, pool: web, for: 30m } }',
  read: (what, context) => {
    const name = theOnly(
      what,
      faults.map((row) => row.name),
      'a fault',
    );
    const row = faults.find((it) => it.name === name);
    if (!row) return () => undefined;
    refuseUnknown(what, [row.name, ...row.with, 'for']);
    const length = what.duration('for');
    return play(row.read(what, context), length);
  },
};

function play(it: Fault, length: Duration | undefined): Happening['happen'] {
  return (stage) => {
    const pool = it.pool === undefined ? {} : { pool: it.pool };
    const lasts = length === undefined ? '' : ` for ${formatDuration(length)}`;
    it.begin(stage, length);
    if (it.begins !== undefined) stage.tell({ kind: 'Fault', ...pool, text: `${it.begins}${lasts}.` });
    const { end, ends } = it;
    if (length === undefined || !end) return;
    stage.world.clock.in(length, () => {
      end(stage);
      stage.tell({ kind: 'Fault', ...pool, text: `${ends}.` });
    });
  };
}
