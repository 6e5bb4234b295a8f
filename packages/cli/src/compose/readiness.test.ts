import { createProgress, type ProjectionState } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import { describe, expect, it } from 'vitest'
import { projectionsFollow } from './readiness.ts'

const names = projections.map(({ name }) => name)

/** What a process of projectors says after each of the states that one projection was in, while all others are live. */
const toldIn = async (states: readonly ProjectionState[]) => {
  const progress = createProgress()
  const [one = '', ...others] = names
  for (const name of others) progress.report(name, { state: 'live' })
  const ready = projectionsFollow(progress)
  const told: string[] = []
  for (const state of states) {
    progress.report(one, { state })
    const answer = await ready().then(
      () => 'ready',
      ({ message }: Error) => message.replace(one, 'it'),
    )
    told.push(answer)
  }
  return told
}

describe('a process of projectors', () => {
  it('is ready once each projection is live, or somebody else follows it', async () => {
    expect(await toldIn(['starting', 'catching up', 'live'])).toEqual(['it is starting', 'it is catching up', 'ready'])
    expect(await toldIn(['waiting', 'superseded'])).toEqual(['ready', 'ready'])
  })

  it('stays ready while load leaves a projection behind', async () => {
    expect(await toldIn(['live', 'catching up', 'live'])).toEqual(['ready', 'ready', 'ready'])
  })

  it.each(['retrying', 'rebuilding', 'failed'] as const)('is not ready after %s until it has caught up again', async (fault) => {
    const told = await toldIn(['live', fault, 'catching up', 'live'])
    expect(told).toEqual(['ready', `it is ${fault}`, 'it is catching up', 'ready'])
  })

  it('is not ready while it catches up with what its predecessor left', async () => {
    expect(await toldIn(['live', 'waiting', 'catching up', 'live'])).toEqual(['ready', 'ready', 'it is catching up', 'ready'])
  })

  it('knows what was live before it was asked for the first time', async () => {
    const progress = createProgress()
    for (const name of names) progress.report(name, { state: 'live' })
    const ready = projectionsFollow(progress)
    for (const name of names) progress.report(name, { state: 'catching up' })
    await expect(ready()).resolves.toBeUndefined()
  })

  it('names a projection that has not said a word', async () => {
    await expect(projectionsFollow(createProgress())()).rejects.toThrow(`${names[0]} is starting; ${names[1]} is starting`)
  })
})
