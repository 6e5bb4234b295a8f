import { uuidv5 } from '@tidings/codec'

/** Fixed for ever: the streams of activities are named by it. */
const ACTIVITIES = '0d9c7f52-6d0b-5b8e-8f3a-2f4b6a1c9e37'

/** The id of an activity: the same key (`activityKey`) always gives the same id, so that two reports meet in one stream. */
export function activityIdOf(key: string): string {
  return uuidv5(key, ACTIVITIES)
}
