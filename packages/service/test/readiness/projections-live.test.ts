import { createProgress, type OwnerReport, type ProjectionState } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import { describe, expect, it } from 'vitest'
import { projectionsAreLive } from '../../src/readiness/projections-live.ts'

const names = projections.map(({ name }) => name)
const noOwners = async (): Promise<readonly OwnerReport[]> => []
/** What the database says of the first projection, and that another process is live with all others. */
const reports = (one: Partial<OwnerReport>): readonly OwnerReport[] =>
  projections.map(({ name, version }, n) => ({
    projection: name,
    version,
    owner: 'other',
    state: 'live',
    alive: true,
    ...(n === 0 && one),
  }))

const answerOf = (ready: () => Promise<void>): Promise<string> =>
  ready().then(
    () => 'ready',
    ({ message }: Error) => message.replace(names[0] ?? '', 'it'),
  )

/** What a process of projectors says after each of the states that one projection was in, while all others are live here. */
const answersIn = async (states: readonly ProjectionState[], owners = noOwners) => {
  const progress = createProgress()
  const [one = '', ...others] = names
  for (const name of others) progress.report(name, { state: 'live' })
  const ready = projectionsAreLive({ progress, owners })
  const answers: string[] = []
  for (const state of states) {
    progress.report(one, { state })
    answers.push(await answerOf(ready))
  }
  return answers
}

/** What a process without projectors says after each of the reports. */
const answersOf = async (said: readonly Partial<OwnerReport>[]) => {
  let at: Partial<OwnerReport> = {}
  const ready = projectionsAreLive({ progress: null, owners: async () => reports(at) })
  const answers: string[] = []
  for (const one of said) {
    at = one
    answers.push(await answerOf(ready))
  }
  return answers
}

describe('a process of projectors', () => {
  it('is ready once each projection is live', async () => {
    expect(await answersIn(['starting', 'catching up', 'live'])).toEqual(['it is starting', 'it is catching up', 'ready'])
  })

  it('is ready for its part while it waits for an owner who is alive and live, and not for one who is not', async () => {
    expect(await answersIn(['waiting', 'superseded'], async () => reports({}))).toEqual(['ready', 'ready'])
    expect(await answersIn(['waiting'], async () => reports({ alive: false }))).toEqual(['it is waiting'])
    expect(await answersIn(['waiting'], async () => reports({ state: 'catching up' }))).toEqual(['it is catching up in another process'])
  })

  it('is not ready while another process builds the version that this one reads', async () => {
    expect(await answersIn(['waiting'], async () => reports({ version: 0 }))).toEqual(['it is being built in version 1'])
  })

  it('stays ready while load leaves a projection behind', async () => {
    expect(await answersIn(['live', 'catching up', 'live'])).toEqual(['ready', 'ready', 'ready'])
  })

  it.each(['retrying', 'rebuilding', 'failed'] as const)('is not ready after %s until it has caught up again', async (fault) => {
    const answers = await answersIn(['live', fault, 'catching up', 'live'])
    expect(answers).toEqual(['ready', `it is ${fault}`, 'it is catching up', 'ready'])
  })

  it('knows what was live before it was asked for the first time', async () => {
    const progress = createProgress()
    for (const name of names) progress.report(name, { state: 'live' })
    const ready = projectionsAreLive({ progress, owners: noOwners })
    for (const name of names) progress.report(name, { state: 'catching up' })
    await expect(ready()).resolves.toBeUndefined()
  })

  it('names a projection that has not said a word', async () => {
    const ready = projectionsAreLive({ progress: createProgress(), owners: noOwners })
    await expect(ready()).rejects.toThrow(`${names[0]} is starting; ${names[1]} is starting`)
  })
})

describe('a process that only reads what others project', () => {
  it('is ready while the owners are alive and live', async () => {
    expect(await answersOf([{}, { alive: false }, {}])).toEqual(['ready', 'it is followed by no live process', 'ready'])
  })

  it('stays ready while load leaves an owner behind, and asks a new owner to be live first', async () => {
    const behind = { state: 'catching up' }
    expect(await answersOf([behind, {}, behind, { ...behind, owner: 'heir' }, { owner: 'heir' }])).toEqual([
      'it is catching up in another process',
      'ready',
      'ready',
      'it is catching up in another process',
      'ready',
    ])
  })

  it('leaves tables that do not exist yet to the check of the read models', async () => {
    await expect(projectionsAreLive({ progress: null, owners: noOwners })()).resolves.toBeUndefined()
  })
})
