import { describeCrashes } from './describeCrashes.ts';

describeCrashes(1);
