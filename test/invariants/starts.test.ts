import { describe, it } from 'vitest';
import { decide } from './decide.ts';
import { forAll } from './forAll.ts';
import { see } from './oracle/cluster.ts';
import { beyondLimits } from './oracle/limits.ts';
import { againstPdbs } from './oracle/pdbs.ts';
import { againstProtections } from './oracle/protections.ts';
import { outOfTurn } from './oracle/turns.ts';
import { beyondWaves } from './oracle/waves.ts';

describe('a start', () => {
  it('C5, C6, C7, C9, D5: exceeds no budget, domain or window cap', () => {
    forAll((plain) => beyondLimits(decide(plain), see(plain)));
  });

  it('C11: is in one domain of a pool at a time', () => {
    forAll((plain) => outOfTurn(decide(plain), see(plain)));
  });

  it('P3: is within the wave of its roll', () => {
    forAll((plain) => beyondWaves(decide(plain), see(plain)));
  });

  it('E10: exceeds no PodDisruptionBudget, by itself or together with the others', () => {
    forAll((plain) => againstPdbs(decide(plain), see(plain)));
  });

  it('A2, D2, D3, E2, E8: never disrupts a protected node, unless it is forced or the protection is waived', () => {
    forAll((plain) => againstProtections(decide(plain), see(plain)));
  });
});
