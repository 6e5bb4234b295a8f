import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import type { ContactErasureRequested } from '@tidings/domain'
import { admitErasures } from './erasure-table.ts'

/** Notes what is to be erased; the rounds finish what the process that was asked does not. */
export const erasureConsumer: Consumer = {
  group: 'erasures',
  types: ['ContactErasureRequested'],
  handle: async (events, tx) => {
    const requests = events as readonly Recorded<ContactErasureRequested>[]
    await admitErasures(
      tx,
      requests.map(({ meta, data }) => ({ workspaceId: meta.workspaceId, contactId: data.contactId })),
    )
    return undefined
  },
}
