// How does a person stop everything for a while? With a MaintenanceWindow that blocks all there is to block, made and removed.
import { annotation } from '../cluster/names.ts';
import type { PatchOperation } from '../engine/commands/action.ts';
import type { Answer, Port, Request } from '../runtime/port.ts';
import { formatInstant, type Instant } from '../time/instant.ts';

export const pauseName = 'lull-pause';
const name = pauseName;
const kind = 'MaintenanceWindow';

export interface Pause {
  /** Absent = until somebody resumes. */
  readonly until?: Instant;
  /** Who and why; shown with every refusal. */
  readonly note?: string;
  /** Who asked for it. */
  readonly author?: string;
}

/** Without schedules it is always open, without actions it holds back all of them, without a selector every node. */
export const pauseWindow = ({ until, note, author }: Pause) => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind,
  metadata: { name, ...(author !== undefined && { annotations: { [annotation.author]: author } }) },
  spec: {
    mode: 'Block',
    ...(until !== undefined && { notAfter: formatInstant(until) }),
    note: note ?? 'paused with `lull pause`; `lull resume` ends it',
  },
});

const isPaused = (port: Port): boolean => port.view().cluster.windows.some((window) => window.name === name);

/** One who is asked to pause while paused takes the new end and the new note. */
export async function pause(port: Port, wanted: Pause): Promise<Answer> {
  const object = pauseWindow(wanted);
  const create: Request = { verb: 'create', kind, name, object };
  const change = (): Promise<Answer> => changePause(port, wanted);
  const begin = async (): Promise<Answer> => port.send(create);
  const [first, second] = isPaused(port) ? [change, begin] : [begin, change];
  const answer = await first();
  // Made or removed by another in this very moment.
  return isRefused(answer, 409, 404) ? second() : answer;
}

/** The new author stands in the place of the old one; what others wrote beside it stays (K4). */
async function changePause(port: Port, wanted: Pause): Promise<Answer> {
  const { spec } = pauseWindow(wanted);
  const author = { [annotation.author]: wanted.author ?? '' };
  const write = (more: PatchOperation): Request => ({
    verb: 'patch',
    kind,
    name,
    patch: [{ op: 'add', path: '/spec', value: spec }, more],
  });
  const path = `/metadata/annotations/${annotation.author.replace('/', '~1')}`;
  const answer = await port.send(write({ op: 'add', path, value: wanted.author ?? '' }));
  // 422: it has no annotations yet.
  return isRefused(answer, 422)
    ? port.send(write({ op: 'add', path: '/metadata/annotations', value: author }))
    : answer;
}

const isRefused = (answer: Answer, ...codes: readonly number[]): boolean =>
  answer.status === 'refused' && codes.includes(answer.code);

/** Whether there was a pause to end is in the answer: 404 = there was none. */
export const resume = async (port: Port): Promise<Answer> => port.send({ verb: 'delete', kind, name });
