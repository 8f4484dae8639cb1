// How does a person stop everything for a while? With a MaintenanceWindow that blocks all there is to block, made and removed.
import type { Answer, Port, Request } from '../runtime/port.ts';
import { formatInstant, type Instant } from '../time/instant.ts';

const name = 'lull-pause';
const kind = 'MaintenanceWindow';

export interface Pause {
  /** Absent = until somebody resumes. */
  readonly until?: Instant;
  /** Who and why; shown with every refusal. */
  readonly note?: string;
}

/** Without schedules it is always open, without actions it holds back all of them, without a selector every node. */
export const pauseWindow = ({ until, note }: Pause) => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind,
  metadata: { name },
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
  const change: Request = { verb: 'patch', kind, name, patch: [{ op: 'add', path: '/spec', value: object.spec }] };
  const [first, second] = isPaused(port) ? [change, create] : [create, change];
  const answer = await port.send(first);
  // Made or removed by another in this very moment.
  const isOther = answer.status === 'refused' && (answer.code === 409 || answer.code === 404);
  return isOther ? port.send(second) : answer;
}

/** Whether there was a pause to end is in the answer: 404 = there was none. */
export const resume = async (port: Port): Promise<Answer> => port.send({ verb: 'delete', kind, name });
