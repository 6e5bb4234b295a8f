const placeOf = (userId: string): string => `tidings-password-later-${userId}`

/** The users who said *later* in this browser when they were asked for a password. One that keeps nothing asks with the next link again. */
export const postponed = {
  has: (userId: string): boolean => {
    try {
      return localStorage.getItem(placeOf(userId)) !== null
    } catch {
      return false
    }
  },
  add: (userId: string): void => {
    try {
      localStorage.setItem(placeOf(userId), 'later')
    } catch {
      // They are asked no more on this page.
    }
  },
}
