import { RequestRefused } from '../errors/problems.ts'

/** `suffix`: that of the bucket, empty for one without a name. */
export function tooMany(suffix: string, seconds: number): RequestRefused {
  return new RequestRefused({
    status: 429,
    message: 'Too many requests, please try again later',
    headers: { [`Retry-After${suffix}`]: String(seconds) },
  })
}
