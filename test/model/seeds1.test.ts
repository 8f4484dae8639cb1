import { describeSeeds } from './describeSeeds.ts';

describeSeeds(0);
