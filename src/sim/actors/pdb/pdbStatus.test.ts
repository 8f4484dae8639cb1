// The numbers in the status of a PodDisruptionBudget.
import { describe, expect, it } from 'vitest';
import { healthyOf } from '../pdbController.ts';

/** Spec, pods / scale / healthy; then expectedPods, desiredHealthy, disruptionsAllowed as Kubernetes' controller answers. */
describe("What Kubernetes' disruption controller answers", () => {
  it.each<[Record<string, unknown>, [number, number | undefined, number], [number, number, number] | undefined]>([
    // An absolute minAvailable counts pods, whatever created them.
    [{ minAvailable: 2 }, [3, undefined, 3], [3, 2, 1]],
    [{ minAvailable: 3 }, [3, 3, 3], [3, 3, 0]],
    [{ minAvailable: 5 }, [3, 3, 3], [3, 5, 0]],
    [{ minAvailable: 0 }, [3, 3, 3], [3, 0, 3]],
    [{ minAvailable: 1 }, [0, 0, 0], [0, 1, 0]],
    [{ minAvailable: 2 }, [4, 4, 1], [4, 2, 0]],
    // Percentages are of the scale, and round up: minAvailable in favour of staying …
    [{ minAvailable: '50%' }, [7, 7, 7], [7, 4, 3]],
    [{ minAvailable: '28%' }, [7, 7, 7], [7, 2, 5]],
    [{ minAvailable: '30%' }, [10, 10, 10], [10, 3, 7]],
    [{ minAvailable: '100%' }, [5, 5, 5], [5, 5, 0]],
    [{ minAvailable: '0%' }, [5, 5, 5], [5, 0, 5]],
    // … of what is asked for, not of what is there
    [{ minAvailable: '50%' }, [2, 10, 2], [10, 5, 0]],
    // maxUnavailable rounds up too: in favour of going.
    [{ maxUnavailable: 1 }, [3, 3, 3], [3, 2, 1]],
    [{ maxUnavailable: 0 }, [3, 3, 3], [3, 3, 0]],
    [{ maxUnavailable: 5 }, [3, 3, 3], [3, 0, 3]],
    [{ maxUnavailable: '25%' }, [7, 7, 7], [7, 5, 2]],
    [{ maxUnavailable: '10%' }, [7, 7, 7], [7, 6, 1]],
    [{ maxUnavailable: '1%' }, [1, 1, 1], [1, 0, 1]],
    [{ maxUnavailable: '7%' }, [100, 100, 100], [100, 93, 7]],
    [{ maxUnavailable: '0%' }, [5, 5, 5], [5, 5, 0]],
    [{ maxUnavailable: '25%' }, [6, 7, 6], [7, 5, 1]],
    [{ maxUnavailable: '25%' }, [5, 7, 5], [7, 5, 0]],
    // Two controllers under one budget add up.
    [{ maxUnavailable: '25%' }, [12, 12, 12], [12, 9, 3]],
    // Pods without a controller add nothing to the scale.
    [{ maxUnavailable: 1 }, [3, 0, 3], [0, 0, 0]],
    // No scale (a DaemonSet, a Job): the controller fails, and nothing may go.
    [{ maxUnavailable: 1 }, [3, undefined, 3], undefined],
    [{ minAvailable: '50%' }, [3, undefined, 3], undefined],
    [{ maxUnavailable: 'some' }, [3, 3, 3], undefined],
    // Both: maxUnavailable is read.
    [{ maxUnavailable: 1, minAvailable: 0 }, [3, 3, 3], [3, 2, 1]],
    [{}, [3, 3, 3], [0, 0, 0]],
  ])('%j of %j is %j', (spec, [pods, scale, healthy], answer) => {
    const found = healthyOf({ spec }, { pods, scale, healthy });
    expect(found && [found.expectedPods, found.desiredHealthy, found.disruptionsAllowed]).toEqual(answer);
    if (found) expect(found.currentHealthy).toBe(healthy);
  });
});
