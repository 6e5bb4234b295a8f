import { unavailable } from '@tidings/http'
import { isNotBuilt } from '@tidings/read-models'

/** Refuses with 503 while the tables that a read needs are being built for the first time, at an upgrade. */
export async function onceBuilt<Result>(reading: Promise<Result>): Promise<Result> {
  return await reading.catch((error: unknown) => {
    throw isNotBuilt(error) ? unavailable(10) : error
  })
}
