// A pulse for stories of consolidation: pods that come and go.
import type { Story } from './story.ts';

/**
 * Creates and deletes a pod now and then, as in any used cluster: Karpenter then considers its nodes again. Without any change it
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
