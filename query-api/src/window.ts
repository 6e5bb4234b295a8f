import { windowOf } from '@tidings/http'

type Query = Readonly<{ limit?: number; offset?: number }>

/** The window of the standard family: 50 from the start unless the query says otherwise. */
export function standardWindow(query: Query) {
  return windowOf(query, 50)
}

/** The window of the rich family: 25, by `offset` or else by `page`. */
export function richWindow(query: Query & Readonly<{ page?: number }>) {
  return windowOf(query, 25)
}
