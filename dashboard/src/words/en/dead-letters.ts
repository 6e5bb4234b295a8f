import { isolated } from '../isolated.ts'
import { plural } from './plural.ts'

export const deadLettersWords = {
  deadLetters: {
    title: 'Dead letters',
    empty: 'Nothing failed so often that it was set aside.',
    help: 'An event or a job that failed again and again is set aside here, so that the others go on. Try it again once its cause is mended.',
    consumer: 'What was to handle it',
    all: 'All',
    ofConsumer: (name: string, count: number) => `${isolated(name)} (${count.toLocaleString('en')})`,
    chosen: (count: number) => plural(count, 'dead letter is chosen', 'dead letters are chosen'),
    choose: (id: string) => `Choose ${isolated(id)}`,
    what: 'What it is',
    sources: { event: 'an event', job: 'a job' },
    error: 'Last error',
    tries: 'Tries',
    since: 'Set aside',
    state: 'State',
    retry: 'Try again',
    discard: 'Give up',
    discardTitle: (count: number) => `Give up ${plural(count, 'dead letter', 'dead letters')}?`,
    discardHelp: 'They are never tried again. A message that one of them was to send has failed by that.',
    reason: 'Reason',
    done: (count: number) => `Done for ${plural(count, 'dead letter', 'dead letters')}.`,
    failed: (count: number) => `Not done for ${plural(count, 'dead letter', 'dead letters')}:`,
    untried: (count: number) => `Stopped: ${plural(count, 'dead letter was', 'dead letters were')} not tried.`,
  },
}
