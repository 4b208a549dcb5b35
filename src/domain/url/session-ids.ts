/** Nutch's session id names: `sid`, `phpsessid`, `sessionid`, plain or with a `_`, `l`, `j` or `bv_` before. */
const NAME = '_?(?:l|j|bv_)?(?:sid|phpsessid|sessionid)'

const PARAMETER = new RegExp(`^${NAME}=`, 'i')
const PATH_PARAMETER = new RegExp(`;${NAME}=[^;/]*`, 'gi')

/** Whether `name=value` is a session id. `newsid=15` and `addressid=2` are not. */
export function isSessionParameter(parameter: string): boolean {
  return PARAMETER.test(parameter)
}

/** Drops `;jsessionid=…`; unlike Nutch's rule it stops at the end of the segment, so `/a;sid=1/b` keeps `/b`. */
export function removePathSessionIds(path: string): string {
  return path.includes(';') ? path.replace(PATH_PARAMETER, '') : path
}
