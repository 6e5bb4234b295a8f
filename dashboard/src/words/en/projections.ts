import { isolated } from '../isolated.ts'

export const projectionsWords = {
  projections: {
    title: 'Projections',
    help: 'What is asked for here is done in the background: it goes on if you leave.',
    beside: 'Beside',
    built: (version: number) => `v${version} built`,
    kept: (version: number) => `v${version} can be swapped back until`,
    job: 'Last asked for',
    ask: 'Actions',
    acts: { rebuild: 'Rebuild', rebuild_beside: 'Build beside', compare: 'Compare', swap: 'Swap', swap_back: 'Swap back' },
    actHelp: {
      rebuild: 'It is built anew from the log, and serves once it is whole. Until then the tables of now serve.',
      rebuild_beside: 'It is built beside the tables that serve.',
      compare: 'Both are compared, row by row.',
      swap: 'The tables beside are brought up to date and serve from then on. For a day they can be swapped back.',
      swap_back: 'The tables that a swap took out are brought up to date and serve again.',
    },
    progressOf: (name: string) => `Progress of ${isolated(name)}`,
    reached: (done: string, total: string) => `${isolated(done)} of ${isolated(total)}`,
    waiting: 'It waits for a process with the role consumers.',
    interrupted: 'The process that did it has ended. The tables that serve are whole: ask for it again.',
    failed: 'It failed. The tables that serve are whole; the log of the process says why.',
    inBoth: (equal: string, different: string) => `${isolated(equal)} equal, ${isolated(different)} different`,
    inOne: (here: string, beside: string) => `${isolated(here)} only here, ${isolated(beside)} only beside`,
  },
}
