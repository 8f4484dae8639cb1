// describeStory: a story has its own cluster (openStory.ts), and tests that run on it one after another.
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { whyNoCluster } from '../../cluster/binaries.ts';
import { openStory, type Story, type StoryOptions } from './openStory.ts';
import { allLogs } from './picture.ts';

export type { Story } from './openStory.ts';

export function describeStory(name: string, options: StoryOptions, tell: (story: Story) => void): void {
  describe.skipIf(whyNoCluster() !== undefined)(name, () => {
    const story = {} as Story;
    beforeAll(async () => {
      Object.assign(story, await openStory(name, options));
    });
    afterEach(async ({ task }) => {
      // A wait that timed out has printed it already.
      const isShown = task.result?.errors?.some(({ message }) => message.includes(allLogs));
      if (task.result?.state === 'fail' && !isShown) process.stderr.write(`${await story.picture()}\n`);
    });
    afterAll(() => story.close?.());
    tell(story);
  });
}
