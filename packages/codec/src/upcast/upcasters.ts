import type { Upcaster } from './upcast.ts'

/** Every step there ever was, oldest first. A step is never changed: `golden/` holds what it was made for. */
export const upcasters: readonly Upcaster[] = [{ type: 'CreditsAdded', from: 1, upcast: (data) => ({ ...data, commandId: null }) }]
