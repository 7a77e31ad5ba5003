// A library that has nothing of what it is asked for.
extern "C" int nothing_of_use() { return 0; }
