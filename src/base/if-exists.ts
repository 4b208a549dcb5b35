/** The result of a file system call, or `undefined` when it fails because there is no such file or directory. */
export async function ifExists<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
