import { describeCrashes } from './describeCrashes.ts';

describeCrashes(0);
