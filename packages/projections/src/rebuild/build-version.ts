import { readCheckpoint } from '../follow/checkpoint.ts'
import type { AnyProjection } from '../projection.ts'
import { alone } from './alone.ts'
import { swapBuilt } from './beside.ts'
import { type Built, isOfTables, readBuilt } from './built.ts'
import type { RebuildOptions } from './options.ts'
import { buildAndSwap } from './rebuild.ts'

/**
 * Builds the tables of this version where they are those of an older one, or swaps in those that an operator has built beside. One process
 * does, of however many start with it: false while another is at it.
 */
export async function buildVersion({ onStart, ...options }: RebuildOptions & Readonly<{ onStart: () => void }>): Promise<boolean> {
  const { projection } = options
  const done = await alone(options, async (client) => {
    const stored = await readCheckpoint(client, projection.name)
    if (stored !== null && stored.version >= projection.version) return true
    onStart()
    const built = await readBuilt(client, projection.name, 'next')
    if (built !== null && isFit(built, projection)) await swapBuilt(options, client, { built, generation: 'next' })
    else await buildAndSwap(options, client)
    return true
  })
  return done === true
}

const isFit = (built: Built, projection: AnyProjection): boolean =>
  !built.expired && built.version === projection.version && isOfTables(built, projection, 'next')
