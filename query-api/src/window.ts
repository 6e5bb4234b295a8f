import { windowOf } from '@tidings/http'

type Query = Readonly<{ limit?: number; offset?: number }>

/** The window of the standard family: 50 from the start unless the query says otherwise. */
export const standardWindow = (query: Query) => windowOf(query, 50)

/** The window of the rich family: 25, by `offset` or else by `page`. */
export const richWindow = (query: Query & Readonly<{ page?: number }>) => windowOf(query, 25)
