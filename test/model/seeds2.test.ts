import { describeSeeds } from './describeSeeds.ts';

describeSeeds(1);
