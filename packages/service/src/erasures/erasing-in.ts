import { type PersonalLocation, personalLocations, projectionsOfPersons } from '@tidings/consumers'
import type { Position } from '@tidings/event-store'
import { projections } from '@tidings/projectors'
import { createAnswerSealer } from '../http/answer-sealer.ts'
import { settle } from '../read-side/settle.ts'
import type { Stores } from '../stores/open-stores.ts'

const { personal, concerned } = projectionsOfPersons(projections)

type Erasing = Readonly<{ locations: readonly PersonalLocation[]; settle: (position: Position) => Promise<void> }>

/** Where an erasure clears in this process, and what it waits for. */
export function erasingIn(stores: Stores): Erasing {
  const { log, workPool: pool, keyRing } = stores
  return {
    locations: personalLocations({ log, pool, keyRing, answers: createAnswerSealer(keyRing), projections: personal }),
    settle: (position) => settle(stores, position, concerned),
  }
}
