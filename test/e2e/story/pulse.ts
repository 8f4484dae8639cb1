// A pulse for stories of consolidation: pods that come and go.
import type { Story } from './story.ts';

/**
 * A pod that comes and goes now and then, as in any cluster that is used: Karpenter then looks at its nodes again. In perfect silence it
 * would do so only every five minutes.
 */
export function pulse(story: Story): () => Promise<void> {
  let [count, last] = [0, 0];
  return async () => {
    if (Date.now() - last < 5000) return;
    last = Date.now();
    const name = `passer-by-${count++}`;
    await story.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { schedulerName: 'nobody', containers: [{ name: 'main', image: 'example.com/main:1' }] },
    });
    await story.remove('Pod', name, { gracePeriodSeconds: 0 });
  };
}
