// How are amounts written in a Kubernetes resource list? cpu in thousandths, the rest in whole units.
import type { Resources } from '../../../cluster/quantity.ts';
import type { Json } from '../../kubeObject.ts';

export const formatResources = (amounts: Resources): Json =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]),
  );
