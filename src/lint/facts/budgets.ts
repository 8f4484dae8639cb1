// What can be said of a budget without knowing the hour?
import type { Budget } from '../../cluster/model.ts';

/** C9: topology budgets bind drift alone; one that names other reasons does nothing. */
export const bindsDrift = ({ topologyKey, reasons }: Budget): boolean =>
  topologyKey !== undefined && (reasons === undefined || reasons.has('Drifted'));
