import { plural } from './plural.ts'

export const flowsWords = {
  flows: {
    title: 'Flows',
    one: 'Flow',
    empty: 'A flow sends messages to each person by itself after something happened. A workspace file defines it.',
    trigger: 'Begins with',
    triggers: { contact_created: 'a new profile', list_joined: 'somebody joins', custom_event: 'the event' },
    version: 'Version',
    insideNow: 'Inside now',
    finished: 'Over',
  },
  flow: {
    steps: 'Steps',
    wait: (time: string) => `Wait ${time}`,
    send: (channel: string) => `Send by ${channel}:`,
    branch: 'Branch by a rule:',
    matched: 'Where it matches',
    otherwise: 'Otherwise',
    goesOn: 'Goes on behind the branch',
    goneTemplate: 'a template that is gone',
    counts: {
      inside: (count: string) => `${count} inside`,
      passed: (count: string) => `${count} passed`,
      left: (count: string) => `${count} left`,
    },
    wasHere: 'was here',
    older: (version: number, inside: string) => `Version ${version}: ${inside} still inside; they finish the steps that it had.`,
    ends: 'How it ended',
    noEnds: 'No run has come to its end yet.',
    runs: 'Runs',
    messages: 'Messages',
    seeMessages: 'See its messages',
    changed: 'Last change',
    way: 'The way of one person',
    person: 'Person',
    noOne: 'None',
    neverInside: 'This person never was inside.',
    earlierRuns: 'There are earlier runs, which are not shown.',
    runOf: (version: number) => `Run through version ${version}`,
    stepNumber: (number: number) => `Step ${number}:`,
    moves: { pause: 'Pause', resume: 'Resume', retire: 'Retire', restore: 'Use again' },
    moveTitles: { pause: 'Pause this flow?', resume: 'Let this flow go on?', retire: 'Retire this flow?', restore: 'Use this flow again?' },
    moveHelp: {
      pause: (inside: number) =>
        `No more people get in. ${plural(inside, 'run', 'runs')} inside: nothing more is sent, but for what is on its way already. What comes due waits until you resume; after 24 hours it ends unsent.`,
      resume: (inside: number) =>
        `People get in again. ${plural(inside, 'run', 'runs')} inside: what came due in the last 24 hours is sent now, and what is older ends unsent.`,
      retire: (inside: number) =>
        `No more people get in. ${plural(inside, 'run', 'runs')} inside: they go on to the end, and what is due is still sent. To stop them as well, pause it.`,
      restore: (inside: number) => `People get in again from now on. ${plural(inside, 'run', 'runs')} inside: nothing changes for them.`,
    },
  },
}
