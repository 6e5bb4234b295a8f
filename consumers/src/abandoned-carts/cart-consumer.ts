import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import type { ActivityRecorded } from '@tidings/domain'
import { ABANDONED_CART, type Admission } from '@tidings/jobs'

/** Admits every cart: a job that asks an hour later what became of it. Only a `checkout.started` has one: it has no order yet (N477). */
export function cartConsumer({ admit }: Readonly<{ admit: Admission }>): Consumer {
  return {
    group: ABANDONED_CART,
    types: ['ActivityRecorded'],
    concerns: (events) => (events as readonly Recorded<ActivityRecorded>[]).some(isCheckout),
    handle: async (events, tx) => {
      const carts = (events as readonly Recorded<ActivityRecorded>[]).filter(isCheckout)
      const jobs = carts.map(({ meta, data, position }) => ({
        workspaceId: meta.workspaceId,
        lane: data.activityId,
        seq: position.commit,
        payload: data.activityId,
      }))
      return await admit(tx, jobs)
    },
  }
}

const isCheckout = ({ data }: Recorded<ActivityRecorded>): boolean => data.event === 'checkout.started'
