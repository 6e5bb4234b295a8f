import { Counter, Gauge, Registry } from 'prom-client'

/** What the first of several processes adds to the page of the others. */
export const ofSupervisor = new Registry()

export const missingNow = new Gauge({
  name: 'tidings_processes_missing',
  help: 'Processes of several on one port that have ended and do not serve again yet',
  registers: [ofSupervisor],
})

export const ended = new Counter({
  name: 'tidings_processes_ended_total',
  help: 'Processes of several on one port that have ended by themselves, each of which was started again',
  registers: [ofSupervisor],
})
