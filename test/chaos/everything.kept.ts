import { NOTHING_LOST } from './kill-service.ts'

const { endedByItself, ...ofWorkspace } = NOTHING_LOST

/** What a run of everything must say, whatever went wrong. */
export const EVERYTHING_KEPT = { demo: ofWorkspace, paused: ofWorkspace, webhooks: { lost: 0, severalIds: 0 }, endedByItself } as const
