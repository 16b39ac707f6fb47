/* A module that calls itself redis-cell and does nothing. */
typedef int (*get_api)(const char *, void *);

int RedisModule_OnLoad(void *context, void **arguments, int count) {
  void (*set_attributes)(void *, const char *, int, int);
  get_api api = *(get_api *)context;
  api("RedisModule_SetModuleAttribs", &set_attributes);
  set_attributes(context, "redis-cell", 1, 1);
  return 0;
}
