// Does an object say of itself that something is so? A condition of its status that is True.
import { isMap } from '../../kinds/reader.ts';
import type { KubeObject } from '../kubeObject.ts';

export const hasTrue = ({ status }: KubeObject, type: string): boolean =>
  Array.isArray(status?.conditions) &&
  (status.conditions as unknown[]).some((it) => isMap(it) && it.type === type && it.status === 'True');
