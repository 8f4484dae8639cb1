// The label of the leader in a pod, with the permissions of observe: moved with the lease, also by kill -9 (decision 18).
import { expect, it } from 'vitest';
import { describeStory } from './story/story.ts';

const namespace = 'lull-system';
const [one, other] = ['lull-one', 'lull-other'];

const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace,
    labels: { 'app.kubernetes.io/name': 'lull', 'app.kubernetes.io/component': 'controller' },
  },
  spec: { serviceAccountName: 'lull', containers: [{ name: 'lull', image: 'example.com/lull' }] },
});

describeStory('leader', { karpenter: false }, (story) => {
  const leaders = async (): Promise<string> =>
    (await story.list('Pod', 'lull.dev/leader=true')).map(({ metadata }) => metadata.name).join();

  it('one pod has the label, the one that leads: after kill -9, a restart and SIGTERM', async () => {
    await story.apply(...[one, other].map(pod));
    const options = { role: 'observe', flags: ['--namespace', namespace] } as const;
    const first = await story.startLull({ ...options, pod: one });
    const second = await story.startLull({ ...options, pod: other });
    await story.until('the first leads, and has the label', async () => (await leaders()) === one);
    // kill -9 leaves the label on; the second takes it off when it leads.
    await first.kill();
    expect(await leaders()).toBe(one);
    await story.until('the second leads, and it alone has the label', async () => (await leaders()) === other);
    await first.start();
    expect(await leaders()).toBe(other);
    // Asked to end, it takes the label off itself.
    await second.kill('SIGTERM');
    await story.until('the first has the label again', async () => (await leaders()) === one);
    // A container that is killed starts again in the same pod: as a standby, until the lease of the killed one has expired.
    await first.kill();
    await first.start();
    await story.until('it has the label only when it leads again', async () => (await leaders()) === one);
    await first.kill('SIGTERM');
    expect(await leaders()).toBe('');
  });
});
