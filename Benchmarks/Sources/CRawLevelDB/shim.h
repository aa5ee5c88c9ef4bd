#pragma once
#include <leveldb/c.h>
