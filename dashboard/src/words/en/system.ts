import { plural } from './plural.ts'

export const systemWords = {
  system: {
    title: 'System',
    ready: 'The process that answered is ready.',
    notReady: 'The process that answered is not ready',
    head: 'Last position of the log',
    findings: 'Checks',
    findingsHelp: 'The stores, the providers and DNS are asked, as by `tidings doctor`. It may take a minute.',
    check: 'Check now',
    checked: 'What was checked',
    found: 'What was found',
    mend: 'What to do',
    processes: 'Processes',
    noProcess: 'No process was heard of in the last five seconds.',
    roles: 'Roles',
    started: 'Started',
    heard: 'Last heard of',
    projections: 'Projections',
    noProjection: 'No projection has run yet.',
    consumers: 'Consumers',
    noConsumer: 'No consumer has run yet.',
    name: 'Name',
    version: 'Version',
    state: 'State',
    behind: 'Events behind',
    parked: 'Streams skipped',
    failure: 'Why it stands still',
    queues: 'Jobs that wait',
    nothingWaits: 'No job waits.',
    kind: 'Kind',
    waiting: 'Waiting',
    retrying: 'Failed before',
    oldest: 'Age of the oldest',
    noDeadLetter: 'Nothing failed for good.',
    open: 'To decide about',
    webhooks: 'Webhooks that wait',
    deliveries: 'Deliveries',
    endpoints: 'For so many addresses',
    longest: 'Most for one address',
    proof: 'Proof of the log',
    proven: 'Events in the tree',
    signed: 'Newest signed head is of',
    anchored: 'Last kept outside',
    fingerprint: 'Fingerprint of the key that signs',
    auditHelp:
      'What operators did in the dashboard in the last 90 days, and what became of operators. The audit of a workspace says what exactly was changed there, under the same request id.',
    unknown: 'not known',
    age: (seconds: number) =>
      seconds < 120
        ? plural(Math.round(seconds), 'second', 'seconds')
        : seconds < 7_200
          ? plural(Math.round(seconds / 60), 'minute', 'minutes')
          : plural(Math.round(seconds / 3_600), 'hour', 'hours'),
  },
}
